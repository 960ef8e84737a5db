declare namespace Cloudflare {
  interface Env extends SandboxEnv {
    readonly TEST_MIGRATIONS: Parameters<typeof import("cloudflare:test").applyD1Migrations>[1];
  }
  interface GlobalProps {
    mainModule: typeof import("#index.sandbox.ts");
    durableNamespaces: "PostPublisher" | "PlatformSimulator" | "WebhookSender" | "WebhookReceiver";
  }
}
type SandboxEnv = import("#sandbox/env.ts").SandboxEnv;
