/** `?` lists every key. */
import type { JSX } from "preact";
import { Dialog } from "../../ui/dialog.tsx";
import { KEY_GROUPS, LOCAL_KEYS } from "./keys.ts";
import "./key-help.css";

export function KeyHelp({ onClose }: { onClose(): void }): JSX.Element {
  return (
    <Dialog title="Keys" wide onClose={onClose}>
      <div class="key-groups">
        {[...KEY_GROUPS, ...LOCAL_KEYS].map(({ name, keys }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([pressed, does]) => (
                <div key={pressed}>
                  <dt>
                    {shown(pressed).map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function shown(pressed: string): readonly string[] {
  if (pressed === "mod-k") return [navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K"];
  return pressed.split(" ");
}
