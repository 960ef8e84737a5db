import sandbox, { PostPublisher as SandboxPublisher } from "#index.sandbox.ts";
import { sandboxOutbound, type SandboxEnv, withSandboxCredentials } from "#sandbox/index.ts";
import { createService } from "#service.ts";
import { toPlatformRequest, PLATFORM_PATH, withRemoteSimulators } from "./remote-simulators.ts";

export { PlatformSimulator, WebhookReceiver, WebhookSender } from "#index.sandbox.ts";

/*
 * The sandbox with three differences. Media may come from `SOAK_SOURCE` over a real connection; the URL check refuses every
 * other address of this machine. With `SOAK_PLATFORMS` set, the platforms are simulated by another process of this entry,
 * called over HTTP. And `/soak/warm` writes, copies and reads the local bucket without any of our code, so that the memory
 * of the local R2 simulation can be told from that of our code.
 */
export class PostPublisher extends SandboxPublisher {
  constructor(ctx: DurableObjectState, env: SandboxEnv) {
    super(ctx, withRemoteSimulators(env));
  }
}

const service = createService((env) => ({
  ...sandboxOutbound(env),
  trustedMediaOrigin: String(env["SOAK_SOURCE"]),
  publicFetch: (request) => fetch(request),
}));

const BLOCK = new Uint8Array(256 * 1024);
const RANGE_BYTES = 5 * 1024 ** 2;
const KEY = "incoming/warm";

/** Reads into one buffer, so that the measurement itself allocates almost nothing. */
async function drain(body: ReadableStream): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(BLOCK.length);
  for (let done: boolean | undefined = false; !done;) {
    const read = await reader.read(new Uint8Array(buffer));
    done = read.done;
    buffer = read.value?.buffer ?? buffer;
  }
}

async function warm(bucket: R2Bucket, sizeBytes: number): Promise<Response> {
  const { readable, writable } = new FixedLengthStream(sizeBytes);
  const writer = writable.getWriter();
  const write = async () => {
    for (let written = 0; written < sizeBytes; written += BLOCK.length) {
      await writer.write(BLOCK);
    }
    await writer.close();
  };
  await Promise.all([bucket.put(KEY, readable), write()]);
  const copied = await bucket.get(KEY);
  await bucket.put(`${KEY}-copy`, copied?.body ?? null);
  for (let offset = 0; offset < sizeBytes; offset += RANGE_BYTES) {
    const range = { offset, length: Math.min(RANGE_BYTES, sizeBytes - offset) };
    const object = await bucket.get(KEY, { range });
    await (object && drain(object.body));
  }
  await bucket.delete([KEY, `${KEY}-copy`]);
  return new Response("warm");
}

export default {
  fetch(request, baseEnv, ctx) {
    const env = withRemoteSimulators(baseEnv);
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/soak/warm") {
      return warm(env.MEDIA, Number(searchParams.get("bytes")));
    }
    if (pathname === PLATFORM_PATH) {
      return sandboxOutbound(env).platformFetch(toPlatformRequest(request));
    }
    return pathname.startsWith("/sandbox/")
      ? sandbox.fetch(request, env, ctx)
      : service.fetch(request, withSandboxCredentials(env), ctx);
  },
} satisfies ExportedHandler<SandboxEnv>;
