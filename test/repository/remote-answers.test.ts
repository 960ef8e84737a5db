import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Outbound } from "#context.ts";
import type { PlatformClient } from "#platforms/contract.ts";

/*
 * Only `src/core/fetch-answer.ts` reads what another server answers, with a limit. The types of an answer have no body, so that reading
 * one any other way does not compile; this test refuses the ways around the types.
 */

const ROOT = join(import.meta.dirname, "..", "..");
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

/** Each way to an answer with a body, and the only files that go it. */
const WAYS: readonly (readonly [way: RegExp, homes: readonly string[]])[] = [
  // The global function. A method of that name is one of a client or of an app.
  [/(?<![.\w`])fetch\(|\bglobalThis\.fetch\b/, ["src/index.ts"]],
  [/\bas (?:unknown as )?Response\b/, ["src/core/fetch-answer.ts"]],
  [/\bopenBody\b/, ["src/core/fetch-answer.ts", "src/media/import/remote-file.ts"]],
];

/** The simulators answer as other servers; the texts of the documentation show code that is not ours. */
const isOurs = (path: string): boolean => !/^src\/(?:sandbox\/|docs\/reference\/|index\.s)/.test(path);

/** The lines of a file that go around the types. A line that declares a function `fetch` calls nothing. */
function waysAround(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, at) => {
    const isCode =
      isOurs(path) && !COMMENT.test(line) && !/^\s+(?:async )?fetch\([^)]*\)(?:: [^{]+)?(?: \{|;)$/.test(line);
    return isCode && WAYS.some(([way, homes]) => way.test(line) && !homes.includes(path)) ? [`${path}:${at + 1}`] : [];
  });
}

describe("answers of other servers", () => {
  test("have types without a body", () => {
    type Fetched = Awaited<ReturnType<Outbound["platformFetch"] | Outbound["publicFetch"]>>;
    expectTypeOf<keyof Fetched>().toEqualTypeOf<"status" | "headers">();
    type PlatformAnswered = Awaited<ReturnType<PlatformClient["fetch"]>>;
    expectTypeOf<keyof PlatformAnswered>().toEqualTypeOf<"status" | "headers" | "text">();
    const readAnyway = async (outbound: Outbound, request: Request) => [
      // @ts-expect-error -- a planted violation
      await (await outbound.publicFetch(request)).text(),
      // @ts-expect-error -- a planted violation
      await (await outbound.platformFetch(request)).json(),
      // @ts-expect-error -- a planted violation
      await (await outbound.publicFetch(request)).arrayBuffer(),
      // @ts-expect-error -- a planted violation
      (await outbound.publicFetch(request)).body,
    ];
    expect(readAnyway).toBeTypeOf("function");
  });

  test("are read nowhere around the types", () => {
    const paths = globSync("src/**/*.{ts,tsx}", { cwd: ROOT });
    expect(paths.length).toBeGreaterThan(1000);
    expect(paths.flatMap((path) => waysAround(path, readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  test.each([
    "const text = await (await fetch(url)).text();",
    "return await globalThis.fetch(request);",
    "const json = await ((await outbound.publicFetch(request)) as Response).json();",
    "const { body } = answer as unknown as Response;",
    'import { openBody } from "#core/fetch-answer.ts";',
  ])("cannot be read by %s", (line) => {
    expect(waysAround("src/accounts/planted.ts", line)).toEqual(["src/accounts/planted.ts:1"]);
  });
});
