/** `b…@example.com`: enough for the owner to recognize, too little for a stranger. */
export function shortenEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${[...email][0] ?? ""}…${email.slice(at)}`;
}
