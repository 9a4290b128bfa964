import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Permission } from "../../../../src/gateway/wire/auth.ts";
import { useAction } from "../../state/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";
import { tokensApi } from "./tokens-api.ts";

const PERMISSIONS: readonly (readonly [Permission, string])[] = [
  ["read", "Read: lists, messages, search and exports"],
  ["write", "Write: also send, branch and delete"],
  ["admin", "Admin: also settings, tokens and imports"],
];
type Limit = "all" | "channels" | "keys" | "conversations";
const LIMITS: readonly (readonly [Limit, string])[] = [
  ["all", "All of them"],
  ["channels", "Only those of some channels"],
  ["keys", "Only those with some session keys"],
  ["conversations", "Only some, by id"],
];
const NAMES: Readonly<Record<Exclude<Limit, "all">, { readonly label: string; readonly example: string }>> = {
  channels: { label: "Channels, with commas between them", example: "discord, telegram" },
  keys: { label: "Session keys, or beginnings of them with *", example: "cli:*, web:notes" },
  conversations: { label: "Ids of conversations, with commas between them", example: "0199aaaa-…" },
};
const DAYS = [7, 30, 90, 365];

/** Makes a token, and shows its secret this once. */
export function CreateToken({ onCreated, onClose }: { onCreated(): void; onClose(): void }): JSX.Element {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <NewSecret secret={secret} onClose={onClose} />;
  return (
    <TokenForm
      onCreated={(token) => {
        setSecret(token);
        onCreated();
      }}
      onClose={onClose}
    />
  );
}

function TokenForm({ onCreated, onClose }: { onCreated(token: string): void; onClose(): void }): JSX.Element {
  const [name, setName] = useState("");
  const [permission, setPermission] = useState<Permission>("read");
  const [limit, setLimit] = useState<Limit>("all");
  const [names, setNames] = useState("");
  const [days, setDays] = useState("90");
  const nameField = useId();
  const limitField = useId();
  const daysField = useId();
  const scope = limit === "all" ? null : { [limit]: namesIn(names) };
  const isComplete = name.trim() !== "" && (limit === "all" || namesIn(names).length > 0);
  const create = useAction(async () => {
    const token = { name: name.trim(), permission, scope, days: days === "" ? null : Number(days) };
    onCreated((await tokensApi.create(token)).token);
  });
  const submit = (): void => {
    if (isComplete && create.running === null) create.run();
  };
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button submit look="primary" disabled={!isComplete || create.running !== null}>
        Create
      </Button>
    </>
  );
  return (
    <Dialog title="New token" foot={foot} onSubmit={submit} onClose={onClose}>
      <label class="label" for={nameField}>
        What it is for
      </label>
      <input
        id={nameField}
        class="field"
        type="text"
        value={name}
        maxLength={100}
        autocomplete="off"
        placeholder="Backup script on the server"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <fieldset class="choices">
        <legend class="label">What it may do</legend>
        {PERMISSIONS.map(([value, label]) => (
          <label key={value} class="choice">
            <input
              type="radio"
              name="permission"
              checked={permission === value}
              onChange={() => setPermission(value)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <label class="label" for={limitField}>
        Which conversations
      </label>
      <div class="limit">
        <select
          id={limitField}
          class="field"
          value={limit}
          onChange={(event) => setLimit(event.currentTarget.value as Limit)}
        >
          {LIMITS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {limit !== "all" && (
          <input
            class="field"
            type="text"
            aria-label={NAMES[limit].label}
            value={names}
            autocomplete="off"
            placeholder={NAMES[limit].example}
            onInput={(event) => setNames(event.currentTarget.value)}
          />
        )}
      </div>
      <label class="label" for={daysField}>
        It ends
      </label>
      <select
        id={daysField}
        class="field"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      >
        {DAYS.map((count) => (
          <option key={count} value={count}>
            in {count} days
          </option>
        ))}
        <option value="">when I revoke it</option>
      </select>
      <Problem error={create.error} />
    </Dialog>
  );
}

function namesIn(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter(Boolean);
}

function NewSecret({ secret, onClose }: { readonly secret: string; onClose(): void }): JSX.Element {
  return (
    <Dialog
      title="The new token"
      foot={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
      onClose={onClose}
    >
      <p>Copy it now. Only a hash of it is stored, so it cannot be shown again.</p>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton name="Copy the token" text={() => secret} />
      </div>
      <p class="quiet">
        Programs send it as <code>Authorization: Bearer</code>.
      </p>
    </Dialog>
  );
}
