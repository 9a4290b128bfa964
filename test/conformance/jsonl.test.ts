import { proveEngine } from "../support/prove-engine.ts";

proveEngine("jsonl");
