import type { ListOf, SettingView, StatusView } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

const at = (path: string): string => `settings/${encodeURIComponent(path)}`;

export const settingsApi = {
  list: (signal: AbortSignal): Promise<ListOf<SettingView>> => api("GET", "settings", { signal }),
  status: (signal: AbortSignal): Promise<StatusView> => api("GET", "status", { signal }),
  change: (path: string, text: string): Promise<unknown> => api("PUT", at(path), { body: { text } }),
  unset: (path: string): Promise<unknown> => api("DELETE", at(path)),
};
