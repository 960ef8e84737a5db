import type { KnipConfig } from "knip";

export default {
  workspaces: {
    ".": {
      entry: [
        "src/index.ts",
        "src/index.sandbox.ts",
        "src/index.simulators.ts",
        "scripts/*.ts",
        "scripts/*/entry.ts",
        "scripts/bench/floor.ts",
        "test/**/*.test.{ts,tsx}",
        // Loaded by its path into the process under test.
        "test/deploy/reach-workers.ts",
        // Replaces a file of the service in the tests.
        "test/support/password-cost.ts",
      ],
      project: ["src/**/*.{ts,tsx}", "scripts/**/*.ts", "test/**/*.{ts,tsx}"],
    },
    "clients/cli": {
      entry: ["src/main.ts"],
      project: ["src/**/*.ts"],
    },
    "clients/typescript": {
      project: ["src/**/*.ts", "!src/generated/**"],
    },
  },
  // A terminal for the tests of the command line, from util-linux; a C compiler for `npm run at`.
  ignoreBinaries: ["script", "cc"],
  // A package of its own, with its own lock file; its tools are run as programs.
  ignore: ["scripts/judges/**"],
  // `cloudflare:workers` and `cloudflare:test` are modules of the runtime.
  // Files of swagger-ui-dist are served as they are.
  ignoreDependencies: ["cloudflare", "swagger-ui-dist"],
} satisfies KnipConfig;
