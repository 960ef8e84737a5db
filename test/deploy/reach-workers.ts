/* Loaded before the command under test: addresses of deployed Workers are answered by the small Cloudflare API. */

const api = process.env["TEST_WORKERS_AT"] ?? "";
const realFetch = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return url.protocol === "https:"
    ? realFetch(`${api}${url.pathname}${url.search}`, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), "x-requested-host": url.host },
      })
    : realFetch(input, init);
};
