import type { KnipConfig } from "knip";

export default {
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
  ],
  project: ["src/**/*.{ts,tsx}", "scripts/**/*.ts", "test/**/*.{ts,tsx}"],
  // A package of its own, with its own lock file; its tools are run as programs.
  ignore: ["scripts/judges/**"],
  // `cloudflare:workers` and `cloudflare:test` are modules of the runtime.
  ignoreDependencies: ["cloudflare"],
} satisfies KnipConfig;
