/** Only what is used of the package: a lazy import of it would bring every language along. */
export { createLowlight } from "lowlight";
