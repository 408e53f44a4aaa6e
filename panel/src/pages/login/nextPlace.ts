/** Returns where to go after the login: only ever an address of the panel itself. */
export function nextPlace(wanted: string | null): string {
  return wanted && /^\/(?![/\\])/.test(wanted) && !wanted.startsWith("/login") ? wanted : "/";
}
