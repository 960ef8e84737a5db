import sandbox, { PostPublisher as SandboxPublisher } from "#index.sandbox.ts";
import { sandboxOutbound, type SandboxEnv, withSandboxCredentials } from "#sandbox/index.ts";
import { createService } from "#service.ts";
import { toPlatformRequest, PLATFORM_PATH, withRemoteSimulators } from "./remote-simulators.ts";

export { PlatformSimulator } from "#index.sandbox.ts";

/*
 * The sandbox with three differences. Media may come from `SOAK_SOURCE`, over a real connection: no address on this machine
 * passes the gate otherwise, and that is as it should be. With `SOAK_PLATFORMS` set, the platforms are played by another
 * process of this same entry, reached over HTTP. And `/soak/warm` writes, copies and reads the local bucket without any of
 * our code, so that what the local stand-in of R2 keeps in memory for itself can be told from what we do.
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

/** Over one buffer, so that the measuring leaves no garbage of its own. */
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
    const piece = await bucket.get(KEY, { range });
    await (piece && drain(piece.body));
  }
  await bucket.delete([KEY, `${KEY}-copy`]);
  return new Response("warm");
}

export default {
  fetch(request, given, ctx) {
    const env = withRemoteSimulators(given);
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
