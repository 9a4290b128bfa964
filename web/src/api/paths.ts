/** The path of a conversation below `/api/v1/`, or of something in it. */
export function conversationPath(id: string, ...rest: readonly string[]): string {
  return ["conversations", ...[id, ...rest].map(encodeURIComponent)].join("/");
}
