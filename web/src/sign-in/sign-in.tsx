import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionState } from "../../../src/gateway/wire/auth.ts";
import { messageOf } from "../api/api.ts";
import { Button } from "../ui/button.tsx";
import { useTitle } from "../ui/page/page-frame.tsx";
import { type Credential, signIn } from "./check-session.ts";
import "./sign-in.css";

type Way = "token" | "password";

export function SignIn({ state }: { readonly state: SessionState }): JSX.Element {
  useTitle("Sign in");
  const ways = state.methods.filter((method): method is Way => method !== "tailscale");
  const [way, setWay] = useState<Way>(ways.includes("password") ? "password" : "token");
  const [secret, setSecret] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (credential: Credential): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(credential);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <form
        class="sign-in-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(way === "token" ? { token: secret } : { password: secret });
        }}
      >
        <h1>Colloquy</h1>
        <p class="quiet">
          For a link that signs you in, run <code>colloquy gateway link</code> where the gateway runs.
          {way === "token" ? " Or enter a token." : " Or enter the password."}
        </p>
        {ways.length > 1 && (
          <fieldset class="ways">
            <legend class="unseen">Sign in with</legend>
            {ways.map((known) => (
              <label key={known}>
                <input type="radio" name="way" checked={way === known} onChange={() => setWay(known)} />
                {known === "token" ? "Token" : "Password"}
              </label>
            ))}
          </fieldset>
        )}
        <label>
          <span class="label">{way === "token" ? "Token" : "Password"}</span>
          <input
            class="field"
            ref={focusFirst}
            type="password"
            autoComplete={way === "token" ? "off" : "current-password"}
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <Button submit look="primary" disabled={busy || secret === ""}>
          Sign in
        </Button>
        {state.methods.includes("tailscale") && (
          <Button disabled={busy} onClick={() => void submit({ tailscale: true })}>
            Sign in with Tailscale
          </Button>
        )}
      </form>
    </main>
  );
}

function focusFirst(field: HTMLInputElement | null): void {
  if (document.activeElement === document.body) field?.focus();
}
