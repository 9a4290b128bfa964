/** Settings: every value of the config, where it comes from, and a way to change it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLoad } from "../../state/use-load.ts";
import { AdminsOnly } from "../../ui/admins-only.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { matchSettings, sections, WHICH, type Which } from "./match-settings.ts";
import { Setting } from "./setting.tsx";
import { settingsApi } from "./settings-api.ts";
import "../pages.css";
import "./settings.css";

export function SettingsPage(): JSX.Element {
  return (
    <AdminsOnly title="Settings">
      <Settings />
    </AdminsOnly>
  );
}

function Settings(): JSX.Element {
  const settings = useLoad("settings", settingsApi.list);
  const [text, setText] = useState("");
  const [which, setWhich] = useState<Which>("all");
  return (
    <PageFrame title="Settings">
      <p class="lead">
        The config of this gateway, and where each value comes from. A change is checked, then written to the
        file, whose comments stay. What runs programs or lets people in can be changed only in the file
        itself.
      </p>
      <div class="filters">
        <input
          type="search"
          class="field"
          aria-label="Search the settings"
          placeholder="Search the settings"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <select
          class="field"
          aria-label="Which settings"
          value={which}
          onChange={(event) => setWhich(event.currentTarget.value as Which)}
        >
          {Object.entries(WHICH).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Loaded load={settings} what="The settings could not be read">
        {({ items }) => {
          const found = sections(matchSettings(items, text, which));
          if (found.length === 0) return <Empty title="No setting matches" />;
          return found.map(({ name, settings: members }) => (
            <section key={name} aria-label={name}>
              <h2 class="section-name">{name}</h2>
              {members.map((setting) => (
                <Setting key={setting.path} setting={setting} onChanged={settings.reload} />
              ))}
            </section>
          ));
        }}
      </Loaded>
    </PageFrame>
  );
}
