declare namespace Cloudflare {
  interface Env extends SandboxEnv {
    readonly TEST_MIGRATIONS: Parameters<typeof import("cloudflare:test").applyD1Migrations>[1];
    /** What all migrations make, as the statements of one batch. */
    readonly TEST_SCHEMA: readonly string[];
  }
  interface GlobalProps {
    mainModule: typeof import("#index.sandbox.ts");
    durableNamespaces: "PostPublisher" | "PlatformSimulator" | "WebhookSender" | "WebhookReceiver";
  }
}
type SandboxEnv = import("#sandbox/env.ts").SandboxEnv;
