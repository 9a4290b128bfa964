import type { FoundTool, ImportJob, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export const importApi = {
  found: (signal: AbortSignal): Promise<ListOf<FoundTool>> => api("GET", "imports/found", { signal }),
  jobs: (signal: AbortSignal): Promise<ListOf<ImportJob>> => api("GET", "imports", { signal }),
  start: (formats: readonly string[]): Promise<ImportJob> => api("POST", "imports", { body: { formats } }),
  cancel: (id: string): Promise<unknown> => api("DELETE", `imports/${encodeURIComponent(id)}`),
};
