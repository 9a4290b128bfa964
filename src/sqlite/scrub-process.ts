/** The process of `scrubInProcess`. */
import { scrubDatabase } from "./scrub-slices.ts";

scrubDatabase(process.argv[2] as string);
