import { defineConfig } from "oxfmt";

export default defineConfig({
  printWidth: 120,
  ignorePatterns: [
    "migrations/**",
    "package-lock.json",
    "openapi.json",
    "clients/typescript/src/generated/**",
    "**/*.md",
  ],
});
