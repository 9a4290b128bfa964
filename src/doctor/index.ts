/** `colloquy/doctor`: checks of the state folder and the store, and safe repairs. */
export type { Checkup, DoctorFinding, Fix, Fixed } from "./finding.ts";
export { type DoctorOptions, type DoctorReport, runDoctor } from "./run-doctor.ts";
export type { StoreToCheck } from "./store.ts";
