import { showToast } from './toast.tsx';

/** Copies, and says so. */
export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast(said);
  } catch {
    showToast('The browser does not allow copying here. Select the text and copy it.', { isFailure: true });
  }
}
