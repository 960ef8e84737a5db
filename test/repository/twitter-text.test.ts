import { createRequire } from "node:module";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build, type Plugin } from "esbuild";
import { beforeAll, describe, test } from "vitest";
import { lighterTwitterText } from "../../scripts/build/twitter-text.ts";
import { SeededRandom } from "../../scripts/crash/seeded-random.ts";

/* The part of twitter-text that is built into the service counts and finds as the whole library does, core-js and all. */

const TEXTS = 10_000;
const SEED = 20_261_123;
const MAX_PIECES = 9;

interface Library {
  parseTweet(text: string): unknown;
  extractUrlsWithIndices(text: string, options?: object): unknown;
  extractCashtags(text: string): unknown;
  hasInvalidCharacters(text: string): unknown;
}

const ROOT = join(import.meta.dirname, "..", "..");

/** In a realm of its own, because core-js replaces functions of the realm that it is loaded into. */
async function load(plugins: Plugin[]): Promise<{ readonly library: Library; readonly sources: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export { default } from "twitter-text";', resolveDir: ROOT },
    bundle: true,
    write: false,
    metafile: true,
    format: "cjs",
    platform: "browser",
    external: ["punycode"],
    plugins,
  });
  const module = { exports: {} as { default: Library } };
  const context = createContext({ module, exports: module.exports, require: createRequire(import.meta.url) });
  runInContext(outputFiles[0]?.text ?? "", context);
  return { library: module.exports.default, sources: Object.keys(metafile.inputs) };
}

const random = new SeededRandom(SEED);
const between = (low: number, high: number): number => Math.floor(random.between(low, high + 1));
const codePoint = (low: number, high: number): string => String.fromCodePoint(between(low, high));
const times = (most: number, make: () => string): string => Array.from({ length: between(1, most) }, make).join("");

const EMOJI = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👋🏿", "1️⃣", "🇩🇪", "🇺🇳", "☺︎", "☺️", "🫠", "👩🏽‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "‍", "️", "🏻"];
const URLS = [
  "https://example.com",
  "http://example.com/a_(b)?c=d&e=%20#f",
  "example.com",
  "Example.CO.uk/x,",
  "https://t.co/abcdefghij",
  "http://user@example.com:8080/",
  "https://例え.テスト/道",
  "http://bücher.de",
  "münchen.de",
  "https://xn--bcher-kva.example",
  "http://пример.рф/путь",
  "한국.com",
  "https://-bad-.com",
  "test.invalidtld",
  "www.foo.museum!",
  "https://a.b.c.d.e.info/...",
  "ftp://example.org",
  `https://${"l".repeat(70)}.com`,
];
const TAGS = ["#tag", "#ハッシュ", "@user", "@user/list", "$AAPL", "$x", "$BRK.A", "＃全角", "＠全角", "$1", "#1", "."];

const PIECES: readonly (() => string)[] = [
  () => times(12, () => codePoint(0x20, 0x7e)),
  () => times(8, () => codePoint(0xa0, 0x24f)),
  () => times(6, () => codePoint(0x4e00, 0x9fff)),
  () => times(6, () => codePoint(0x3040, 0x30ff)),
  () => times(6, () => codePoint(0xac00, 0xd7a3)),
  () => times(6, () => codePoint(0x0590, 0x06ff)),
  () => `e${times(4, () => codePoint(0x300, 0x36f))}`,
  () => times(3, () => codePoint(0x1f300, 0x1faff)),
  () => times(3, () => codePoint(0x2000, 0x206f)),
  () => String.fromCharCode(between(0xd800, 0xdfff)),
  () => random.pick(["\ufffe", "\uffff", "\ufeff", "\0", "\u202e", "\r\n", "\t", "\u3000"]),
  () => random.pick(EMOJI),
  () => random.pick(URLS),
  () => random.pick(TAGS),
  () => times(4, () => random.pick(URLS)),
];

const SEPARATORS = ["", " ", "\n", "\u3000", ",", "…"];
const randomText = (): string => times(MAX_PIECES, () => random.pick(PIECES)() + random.pick(SEPARATORS));

let whole: Awaited<ReturnType<typeof load>>;
let built: Awaited<ReturnType<typeof load>>;

beforeAll(async () => {
  [whole, built] = await Promise.all([load([]), load([lighterTwitterText])]);
});

describe("twitter-text as it is built", () => {
  test("brings nothing of core-js", ({ expect }) => {
    const polyfills = ({ sources }: typeof whole) =>
      sources.filter((source) => source.includes("node_modules/core-js/"));
    expect(polyfills(whole).length).toBeGreaterThan(50);
    expect(polyfills(built)).toEqual([]);
  });

  test(`says the same of ${TEXTS} random texts as the whole library`, ({ expect }) => {
    const results = ({ library }: typeof whole, text: string): string =>
      JSON.stringify([
        library.parseTweet(text),
        library.extractUrlsWithIndices(text),
        library.extractUrlsWithIndices(text, { extractUrlsWithoutProtocol: false }),
        library.extractCashtags(text),
        library.hasInvalidCharacters(text),
      ]);
    const found = { urls: 0, cashtags: 0, invalid: 0 };
    for (let index = 0; index < TEXTS; index += 1) {
      const text = randomText();
      const expected = results(whole, text);
      if (results(built, text) !== expected) {
        expect(results(built, text), JSON.stringify(text)).toBe(expected);
      }
      const [, urls, , cashtags, isInvalid] = JSON.parse(expected) as [
        object,
        unknown[],
        unknown[],
        unknown[],
        boolean,
      ];
      found.urls += urls.length;
      found.cashtags += cashtags.length;
      found.invalid += Number(isInvalid);
    }
    // The texts have enough of what the functions look for.
    expect(Math.min(found.urls, found.cashtags, found.invalid)).toBeGreaterThan(300);
  });
});
