/** Shortens an address to `b…@example.com`. Its owner recognizes it, but a stranger learns too little. */
export function shortenEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${[...email][0] ?? ""}…${email.slice(at)}`;
}
