/** At once where the row is there, so that the next key is for it; otherwise when the list has drawn what is in view. */
export function focusRow(list: HTMLElement, selector: string): void {
  const focus = (): boolean => {
    const row = list.querySelector<HTMLElement>(selector);
    row?.focus({ preventScroll: true });
    return row !== null;
  };
  if (!focus()) requestAnimationFrame(focus);
}
