import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFUSED_SHAPES, refusedShapes } from "../deploy/d1-refused-shapes.ts";

/*
 * The deployment imports migrations, and so far no report names a form that the import refuses. They are written in the
 * form of which `/query` takes the most, because what splits them at Cloudflare can change.
 */

const FOLDER = join(import.meta.dirname, "..", "..", "migrations");
const MIGRATIONS = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));

/** Only one trigger a file on one line would avoid it, and nobody could read that. */
const TAKEN_BY_THE_IMPORT = "a multi-line trigger beside other statements";

test.each(MIGRATIONS)("%s has no other form that was reported to fail at D1", (name) => {
  const sql = readFileSync(join(FOLDER, name), "utf8");
  expect(refusedShapes(sql).filter((shape) => shape !== TAKEN_BY_THE_IMPORT)).toEqual([]);
  expect(sql).not.toMatch(/^\s*(?:BEGIN\s+TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT)\b/im);
});

test("the exception is one of the reported forms", () => {
  expect(REFUSED_SHAPES.map(({ name }) => name)).toContain(TAKEN_BY_THE_IMPORT);
});

test("git gives the files of a checkout on Windows the same line ends", () => {
  expect(readFileSync(join(FOLDER, "..", ".gitattributes"), "utf8")).toMatch(/^\*\.sql text eol=lf$/m);
});
