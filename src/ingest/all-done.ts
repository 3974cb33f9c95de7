/** As Promise.all, but when one fails the others have ended too: nothing is closed while it is still worked with. */
export async function allDone<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Work in keyof Works]: Awaited<Works[Work]> }> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}
