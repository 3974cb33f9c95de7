// Where somebody comes from, for limits that count by it.

const NETWORK_GROUPS = 4;
const ADDRESS_GROUPS = 8;

/** The address itself, or the /64 of one of IPv6: whoever has one such address has all of its network. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const known = [groups(front), groups(back)] as const;
  const zeros = back === undefined ? 0 : Math.max(0, ADDRESS_GROUPS - known[0].length - known[1].length);
  const all = [...known[0], ...Array.from({ length: zeros }, () => '0'), ...known[1]];
  const network = all.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
