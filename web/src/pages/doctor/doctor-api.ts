import type { FindingView } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export interface Diagnosis {
  readonly ok: boolean;
  readonly findings: readonly FindingView[];
}

export function readDiagnosis(signal: AbortSignal): Promise<Diagnosis> {
  return api("GET", "doctor", { signal });
}
