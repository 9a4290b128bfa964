/** Readers meet values of unknown shape everywhere. */
export {
  filledIn,
  jsonText,
  listIn,
  numberIn,
  objectIn,
  objectsIn,
  parsedIn,
  textIn,
  timeIn,
} from "../../util/values.ts";
