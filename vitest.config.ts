import { tmpdir } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { unstable_readConfig as readWranglerConfig } from "wrangler";
import { readDocuments } from "./scripts/build/documents.ts";
import { snapshotSchema } from "./test/support/schema-snapshot.ts";
import { staticImports } from "./test/support/static-imports.ts";
import { keepStorageInMemory } from "./test/support/storage-folder.ts";
import packageFile from "./package.json" with { type: "json" };

// wrangler prefers a variable of the shell to that of wrangler.toml, and the tests know only the latter.
for (const name of Object.keys(readWranglerConfig({ config: "./wrangler.toml", env: "sandbox" }).vars)) {
  delete process.env[name];
}

const migrations = await readD1Migrations("./migrations");
const schema = snapshotSchema(migrations);

/** Tests in Node write programs and start them, which the folder in memory may forbid. */
const onDisk = { TMPDIR: tmpdir() };
keepStorageInMemory();

/** What a busy two-core machine keeps; a test that needs longer says so itself. */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

const FILES_IN_NODE = ["test/repository/**/*.test.ts", "test/deploy/**/*.test.ts", "test/clients/cli/**/*.test.ts"];
const STARTS_PROCESSES = [
  "test/repository/user-command.test.ts",
  "test/repository/media-readers.test.ts",
  "test/repository/script-help.test.ts",
];
/** Whole videos, large images and hundreds of random inputs take half of the time of all tests. */
const LONG = [
  "test/api/files/upload-parts.test.ts",
  "test/journeys/fitting.test.ts",
  "test/platforms/tiktok/simulated.test.ts",
  "test/platforms/slow-answers.test.ts",
  "test/publisher/double-failures.test.ts",
  "test/**/{fuzz,model,random-*}.test.ts",
];

/** What the service imports of libraries that are many files. */
const LIBRARIES = [
  "@hono/zod-openapi",
  "@modelcontextprotocol/server",
  "@simplewebauthn/server",
  "drizzle-orm",
  "drizzle-orm/d1",
  "drizzle-orm/sqlite-core",
  "hono",
  "hono/body-limit",
  "hono/cookie",
  "hono/cors",
  "hono/html",
  "hono/http-exception",
  "hono/jsx",
  "hono/jsx/jsx-runtime",
  "hono/jsx/jsx-dev-runtime",
  "hono/secure-headers",
  "stripe",
  "twitter-text",
  "uuid",
  "zod",
];

/** Tests in the Workers runtime. */
const inWorkers = (name: string, files: { readonly include: string[]; readonly exclude: string[] }) => ({
  define: {
    FAILPOINTS: "true",
    ALMANAC_VERSION: JSON.stringify(packageFile.version),
    DOCUMENTS: JSON.stringify(readDocuments(import.meta.dirname)),
  },
  // A hash at full cost stops its isolate for 100 ms; test/repository/password-cost.test.ts holds what the service has.
  resolve: {
    alias: [{ find: /^.*\/password-cost\.ts$/, replacement: `${import.meta.dirname}/test/support/password-cost.ts` }],
  },
  plugins: [
    staticImports(`${import.meta.dirname}/src/`),
    cloudflareTest({
      // The source, not what is built of it.
      main: "./src/index.sandbox.ts",
      wrangler: { configPath: "./wrangler.toml", environment: "sandbox" },
      miniflare: {
        bindings: { TEST_MIGRATIONS: migrations, TEST_SCHEMA: schema },
        // Nothing leaves the machine: what the sandbox does not answer in the process is refused here.
        outboundService: (request: Request) =>
          new Response(`no network in tests: ${new URL(request.url).host}`, { status: 599 }),
      },
    }),
  ],
  test: {
    ...timeouts,
    ...files,
    name,
    setupFiles: ["./test/setup.ts"],
    // An isolate per file took two thirds of the run; test/setup.ts gives each file a clean start instead.
    isolate: false,
    // A worker fetches modules one at a time, and two of five were files of these libraries: each is bundled.
    deps: { optimizer: { ssr: { enabled: true, include: LIBRARIES } } },
  },
});

export default defineConfig({
  test: {
    // One more than the processors of the gate: many tests wait for a platform, a file or a process.
    maxWorkers: 3,
    silent: "passed-only",
    projects: [
      inWorkers("workers", {
        include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
        exclude: [...FILES_IN_NODE, ...LONG],
      }),
      // What is checked about the repository itself needs files, which a Worker has not.
      {
        test: {
          ...timeouts,
          name: "repository",
          include: ["test/repository/**/*.test.ts"],
          exclude: STARTS_PROCESSES,
          env: onDisk,
        },
      },
      // The other projects are `npm run test:long`.
      inWorkers("long", { include: LONG, exclude: [] }),
      { test: { ...timeouts, name: "processes", include: STARTS_PROCESSES, env: onDisk } },
      // The command line, as processes before the running service.
      {
        test: {
          // Every step of a test is a process that starts.
          testTimeout: 60_000,
          hookTimeout: 120_000,
          name: "cli",
          include: ["test/clients/cli/**/*.test.ts"],
          // Mostly processes that wait for the service.
          sequence: { concurrent: true },
          maxConcurrency: 3,
          env: onDisk,
        },
      },
      // wrangler itself, against a small Cloudflare API.
      { test: { ...timeouts, name: "deploy", include: ["test/deploy/**/*.test.ts"], env: onDisk } },
    ],
  },
});
