import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { readDocuments } from "./scripts/build/documents.ts";
import { snapshotSchema } from "./test/support/schema-snapshot.ts";
import { staticImports } from "./test/support/static-imports.ts";
import packageFile from "./package.json" with { type: "json" };

const migrations = await readD1Migrations("./migrations");

/** What a busy two-core machine keeps; a test that needs longer says so itself. */
const timeouts = { testTimeout: 30_000, hookTimeout: 30_000 };

const STARTS_PROCESSES = ["test/repository/user-command.test.ts", "test/repository/media-readers.test.ts"];

export default defineConfig({
  test: {
    // One more than the processors of the gate: many tests wait for a platform, a file or a process.
    maxWorkers: 3,
    silent: "passed-only",
    projects: [
      {
        define: {
          FAILPOINTS: "true",
          ALMANAC_VERSION: JSON.stringify(packageFile.version),
          DOCUMENTS: JSON.stringify(readDocuments(import.meta.dirname)),
        },
        // A hash at full cost stops its isolate for 100 ms; test/repository/password-cost.test.ts holds what the service has.
        resolve: {
          alias: [
            { find: /^.*\/password-cost\.ts$/, replacement: `${import.meta.dirname}/test/support/password-cost.ts` },
          ],
        },
        plugins: [
          staticImports(`${import.meta.dirname}/src/`),
          cloudflareTest({
            // The source, not what is built of it.
            main: "./src/index.sandbox.ts",
            wrangler: { configPath: "./wrangler.toml", environment: "sandbox" },
            miniflare: {
              bindings: { TEST_MIGRATIONS: migrations, TEST_SCHEMA: snapshotSchema(migrations) },
              // Nothing leaves the machine: what the sandbox does not answer in the process is refused here.
              outboundService: (request: Request) =>
                new Response(`no network in tests: ${new URL(request.url).host}`, { status: 599 }),
            },
          }),
        ],
        test: {
          ...timeouts,
          name: "workers",
          include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
          exclude: ["test/repository/**", "test/deploy/**", "test/clients/cli/**"],
          setupFiles: ["./test/setup.ts"],
          // An isolate per file took two thirds of the run; test/setup.ts gives each file a clean start instead.
          isolate: false,
        },
      },
      // What is checked about the repository itself needs files, which a Worker has not.
      {
        test: { ...timeouts, name: "repository", include: ["test/repository/**/*.test.ts"], exclude: STARTS_PROCESSES },
      },
      // The next three are `npm run test:processes`: nearly all of their time is processes that start.
      { test: { ...timeouts, name: "processes", include: STARTS_PROCESSES } },
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
        },
      },
      // wrangler itself, against a small Cloudflare API.
      { test: { ...timeouts, name: "deploy", include: ["test/deploy/**/*.test.ts"] } },
    ],
  },
});
