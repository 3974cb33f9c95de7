import { FakeAmazon } from '../amazon/fake-amazon.ts';

/** An Amazon that lets everybody in and has no report yet: connections can be made, and nothing comes of them. */
export async function openPatientAmazon(): Promise<FakeAmazon> {
  return await FakeAmazon.open({
    now: () => new Date(),
    random: () => 0.9,
    availableAt: () => new Date('2999-01-01T00:00:00Z'),
    acceptsAnyone: true,
  });
}
