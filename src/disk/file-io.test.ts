import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { asColloquyError } from "../errors.ts";
import { nameQuota } from "./file-io.ts";

describe("an error of the system", () => {
  it("has a name if the quota of the user is exceeded, and is one of the system still", () => {
    const errno = -constants.errno.EDQUOT;
    const code = `Unknown system error ${errno}`;
    const unknown = Object.assign(new Error(`${code}: ${code}, write`), { errno, code, syscall: "write" });
    const error = nameQuota(unknown);
    expect(error).toMatchObject({ code: "EDQUOT", message: "EDQUOT: disk quota exceeded, write", errno });
    expect(asColloquyError(error, "Cannot write")).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  it("is unchanged otherwise", () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      ...{ errno: -constants.errno.ENOSPC, code: "ENOSPC", syscall: "write" },
    });
    for (const error of [full, new Error("other"), "text"]) expect(nameQuota(error)).toBe(error);
  });
});
