import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const migrations = await readD1Migrations("./migrations");

export default defineConfig({
  define: { FAILPOINTS: "true" },
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.toml", environment: "sandbox" },
      miniflare: {
        bindings: { TEST_MIGRATIONS: migrations },
        // Nothing leaves the machine: what the sandbox does not answer in the process is refused here.
        outboundService: (request: Request) =>
          new Response(`no network in tests: ${new URL(request.url).host}`, { status: 599 }),
      },
    }),
  ],
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    setupFiles: ["./test/setup.ts"],
    maxWorkers: 2,
  },
});
