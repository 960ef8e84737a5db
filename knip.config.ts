import type { KnipConfig } from "knip";

export default {
  entry: [
    "src/index.sandbox.ts",
    "scripts/*.ts",
    "scripts/*/entry.ts",
    "scripts/bench/{floor,recorder}.ts",
    "test/**/*.test.{ts,tsx}",
  ],
  project: ["src/**/*.{ts,tsx}", "scripts/**/*.ts", "test/**/*.{ts,tsx}"],
  // Run as programs by scripts and by `npx`, or by the tools themselves.
  ignoreDependencies: ["@redocly/cli", "@stoplight/spectral-cli"],
} satisfies KnipConfig;
