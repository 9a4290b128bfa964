import type { DiagnosisView } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export function readDiagnosis(signal: AbortSignal): Promise<DiagnosisView> {
  return api("GET", "doctor", { signal });
}
