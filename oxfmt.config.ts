import { defineConfig } from "oxfmt";

export default defineConfig({
  printWidth: 120,
  ignorePatterns: ["migrations/**", "package-lock.json", "openapi.json", "**/*.md"],
});
