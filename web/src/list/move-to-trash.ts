/** Moving a conversation to the trash: at once, with a way back for some seconds. */
import { api } from "../api/api.ts";
import { conversationPath } from "../api/paths.ts";
import { conversationLink, go, place } from "../app/router.ts";
import { showProblem, showToast } from "../ui/toast.tsx";
import { shownList } from "./conversations.ts";

export async function moveToTrash(id: string): Promise<void> {
  try {
    await api("DELETE", conversationPath(id));
  } catch (error) {
    showProblem("It was not moved to the trash", error);
    return;
  }
  shownList.value?.remove(id);
  const isShown = place.value.view === "conversation" && place.value.id === id;
  if (isShown) go("#/");
  const undo = async (): Promise<void> => {
    try {
      await api("POST", conversationPath(id, "restore"), { body: {} });
      if (isShown) go(conversationLink(id));
    } catch (error) {
      showProblem("It was not restored", error);
    }
  };
  showToast("Moved to the trash", { about: id, undo });
}
