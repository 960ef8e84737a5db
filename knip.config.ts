import type { KnipConfig } from "knip";

export default {
  entry: ["src/index.ts", "src/index.sandbox.ts", "scripts/*.ts", "test/**/*.test.{ts,tsx}", "test/setup.ts"],
  project: ["src/**/*.{ts,tsx}", "scripts/**/*.ts", "test/**/*.{ts,tsx}"],
  ignoreDependencies: ["node", "cloudflare", "oxlint-tsgolint"],
} satisfies KnipConfig;
