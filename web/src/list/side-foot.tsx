/** The other pages, the theme and the way out. */
import type { JSX } from "preact";
import { api } from "../api/api.ts";
import { session } from "../api/session.ts";
import { go, place } from "../app/router.ts";
import { PAGES } from "../pages/pages.ts";
import { useCell } from "../state/cell.ts";
import { forgetStored } from "../state/stored.ts";
import { setTheme, type Theme, theme } from "../state/theme.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { showProblem } from "../ui/toast.tsx";

const THEMES: readonly { readonly theme: Theme; readonly label: string; readonly icon: IconName }[] = [
  { theme: "system", label: "As the system", icon: "screen" },
  { theme: "light", label: "Light", icon: "sun" },
  { theme: "dark", label: "Dark", icon: "moon" },
];

export function SideFoot(): JSX.Element {
  const current = useCell(place);
  const chosen = useCell(theme);
  const state = useCell(session);
  return (
    <div class="side-foot">
      {PAGES.filter(({ name }) => name !== "about").map(({ name, title, icon }) => (
        <a
          key={name}
          class="button plain icon"
          href={`#/${name}`}
          title={title}
          aria-label={title}
          {...(current.view === "page" && current.name === name && { "aria-current": "page" as const })}
        >
          <Icon name={icon} />
        </a>
      ))}
      <span class="grow" />
      <Menu
        name="Pages, theme and account"
        heading={state?.user ? `Signed in as ${state.user}` : "Signed in"}
        items={[
          ...PAGES.map(({ name, title, icon }) => ({ label: title, icon, run: () => go(`#/${name}`) })),
          "line",
          ...THEMES.map(({ theme: value, label, icon }) => ({
            label,
            icon,
            chosen: chosen === value,
            run: () => setTheme(value),
          })),
          "line",
          { label: "Sign out", icon: "leave", run: () => void signOut() },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </div>
  );
}

async function signOut(): Promise<void> {
  try {
    await api("POST", "/auth/logout");
    forgetStored();
    // Nor does anything stay in memory.
    go("#/", { replace: true });
    location.reload();
  } catch (error) {
    showProblem("Signing out failed", error);
  }
}
