import { z } from "@hono/zod-openapi";
import { type SearchExtent, wordsOfSearch } from "#posts/index.ts";
import { Instant, instantOrNull } from "./common.ts";

const SEARCH_MAX = 100;

/** The query parameter with the words to search in posts. */
export const SearchText = z
  .string()
  .min(1)
  .max(SEARCH_MAX)
  .refine((text) => wordsOfSearch(text).length > 0, {
    message: "must have a word to search for",
    params: { code: "invalid_format" },
  });

/** How far a search has looked, in a response. */
export const Search = z
  .object({
    searched: z
      .int()
      .openapi({ description: "How many posts were searched, 5,000 at most, in the order of the list." }),
    complete: z.boolean().openapi({
      description: "Whether all posts were searched that the other filters select. The archived ones are not searched.",
    }),
    next_from: Instant.nullable().openapi({
      description:
        "In the order `asc`: the `from` with which a further search goes on; null where the search is complete. A post of this instant may come again.",
    }),
    next_until: Instant.nullable().openapi({
      description: "The same in the order `desc`: the `until` of a further search.",
    }),
    archived_searched: z.literal(false).openapi({ description: "Archived posts are in no search." }),
  })
  .openapi("Search", { description: "How far a search with `q` has looked." });

export function presentSearch({ searched, next }: SearchExtent, order: "asc" | "desc"): z.infer<typeof Search> {
  return {
    searched,
    complete: next === null,
    next_from: order === "asc" ? instantOrNull(next) : null,
    next_until: order === "desc" ? instantOrNull(next) : null,
    archived_searched: false,
  };
}
