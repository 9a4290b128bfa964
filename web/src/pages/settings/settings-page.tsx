/** Settings: every value of the config, where it comes from, and a way to change it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useLoad } from "../../state/use-load.ts";
import { FilterBar } from "../../ui/list/filter-bar.tsx";
import { Empty, Loaded } from "../../ui/list/states.tsx";
import { AdminsOnly } from "../../ui/page/admins-only.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { ConfigState } from "./config-state.tsx";
import { matchSettings, readable, sections, WHICH, type Which } from "./match-settings.ts";
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
  const status = useLoad("status", settingsApi.status);
  const changed = (): void => {
    settings.reload();
    status.reload();
  };
  const [text, setText] = useState("");
  const [which, setWhich] = useState<Which>("all");
  return (
    <PageFrame title="Settings">
      <p class="lead">
        The config of this gateway, and where each value comes from. A change is checked, then written to the
        file, whose comments stay. It takes effect at once, for agents and models with the next answer, unless
        its setting says otherwise. What runs programs or lets people in can be changed only in the file
        itself.
      </p>
      {status.value && <ConfigState config={status.value.config} />}
      <FilterBar
        search="Search the settings"
        text={text}
        onText={setText}
        choice="Which settings"
        chosen={which}
        options={Object.entries(WHICH)}
        onChoose={(value) => setWhich(value as Which)}
      />
      <Loaded load={settings} what="The settings could not be read">
        {({ items }) => {
          const found = sections(matchSettings(readable(items), text, which));
          if (found.length === 0) return <Empty title="No setting matches" />;
          return found.map(({ name, settings: all }) => (
            <section key={name} aria-label={name}>
              <h2 class="section-name">{name}</h2>
              {all.map((setting) => (
                <Setting key={setting.path} setting={setting} onChanged={changed} />
              ))}
            </section>
          ));
        }}
      </Loaded>
    </PageFrame>
  );
}
