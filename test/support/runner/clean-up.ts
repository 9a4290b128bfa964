/** Runs again for every file: a hook in a module that files share would be that of the first one only. */
import { afterEach } from "vitest";
import { removeTempFolders } from "../temp-folder.ts";

afterEach(removeTempFolders);
