// Parts of the page that few visits need are files of their own, loaded when they are first shown.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../api/client.ts';
import { FailureNotice, Skeleton } from './notices.tsx';

/** A newer version of the service has files of other names: loading the page again finds them. */
const MISSING = new ApiFailure(0, { code: 'UNREACHABLE', message: 'This part of the page could not be loaded.' });

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const [Part, setPart] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      if (Part) return;
      load().then(
        (part) => {
          loaded = part;
          setPart(() => part);
        },
        () => setMissing(true),
      );
    }, []);
    if (isMissing) return <FailureNotice failure={MISSING} onRetry={() => window.location.reload()} />;
    return Part ? <Part {...props} /> : <Skeleton rows={3} height={120} />;
  };
}
