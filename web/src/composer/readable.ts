/** Whether a model gets the content of a file. Of others it learns only the name. */
export function isReadable(mediaType: string): boolean {
  return /^(?:text\/.+|application\/(?:json|pdf)|image\/(?:png|jpeg|gif|webp))$/.test(mediaType);
}
