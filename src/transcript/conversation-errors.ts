import { ColloquyError } from "../errors.ts";

/** A method was called before `load()` or `initialize()`. */
export class ConversationNotLoadedError extends ColloquyError {
  constructor() {
    super("CONFLICT", "The conversation is not loaded: call load() or initialize() first");
    this.name = "ConversationNotLoadedError";
  }
}

export class ConversationAlreadyExistsError extends ColloquyError {
  constructor(folder: string) {
    super("CONFLICT", `${folder} already contains a conversation: call load() instead`);
    this.name = "ConversationAlreadyExistsError";
  }
}
