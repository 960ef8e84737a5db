/* The types of the document under the names that the client gives them. */

export type * from "./generated/types.gen.ts";
export type { Event as AlmanacEvent } from "./generated/types.gen.ts";
