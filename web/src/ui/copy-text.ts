/** To the clipboard. On a page that was loaded over plain HTTP, browsers offer only the legacy way. */
export async function copyText(text: string): Promise<void> {
  // Missing there, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!isCopied) throw new Error("Select the text and copy it with the keyboard.");
}
