const MARK = "x-sandbox-connection";

/** What the object of a platform answers where the real one would just be gone; the world turns it into a failed fetch. */
export function lostConnection(): Response {
  return new Response(null, { status: 204, headers: { [MARK]: "lost" } });
}

export function isLost(answer: Response): boolean {
  return answer.headers.get(MARK) === "lost";
}
