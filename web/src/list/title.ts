interface Named {
  readonly title: string | null;
  readonly firstWords?: string | null;
  readonly key: string | null;
}

/** As people recognise it. */
export function titleOf({ title, firstWords, key }: Named): string {
  return title || firstWords || key || "New conversation";
}
