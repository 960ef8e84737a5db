import type { Topic } from "./attack.ts";
import scopes from "./scopes.ts";

/** Every topic; a new file is added here. */
export const TOPICS: readonly Topic[] = [scopes];
