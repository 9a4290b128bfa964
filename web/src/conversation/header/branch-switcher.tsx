import type { JSX } from "preact";
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";
import { Icon } from "../../ui/icon.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { shortCount } from "../../ui/values/count.tsx";
import type { Chat } from "../chat.ts";
import { checkOut } from "../requests.ts";

export function BranchSwitcher({
  chat,
  branches,
}: {
  readonly chat: Chat;
  readonly branches: readonly BranchView[];
}): JSX.Element {
  const active = branches.find((branch) => branch.active)?.name ?? "main";
  const switchTo = async (name: string): Promise<void> => {
    try {
      await chat.move(() => checkOut(chat.id, name));
    } catch (error) {
      showProblem("The branch was not switched", error);
    }
  };
  return (
    <Menu
      name={`Branch: ${active}`}
      class="chip branch-chip"
      heading="Branches"
      items={branches.map(({ name, active: chosen, entryCount, firstWords }) => ({
        label: firstWords ? `${name}: ${firstWords}` : name,
        hint: shortCount(entryCount),
        chosen,
        run: () => void switchTo(name),
      }))}
    >
      <Icon name="branch" />
      <span class="cut">{active}</span>
    </Menu>
  );
}
