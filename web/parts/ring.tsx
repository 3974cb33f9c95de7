interface RingProps {
  /** 0 to 1. */
  readonly share: number;
  readonly size: number;
  readonly thickness: number;
}

export function Ring({ share, size, thickness }: RingProps) {
  const radius = (size - thickness) / 2;
  const length = 2 * Math.PI * radius;
  const filled = Math.max(0, Math.min(1, share)) * length;
  const middle = size / 2;
  return (
    <svg class="ring" width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
      <circle class="ring-track" cx={middle} cy={middle} r={radius} stroke-width={thickness} />
      <circle
        class="ring-share"
        cx={middle}
        cy={middle}
        r={radius}
        stroke-width={thickness}
        stroke-dasharray={`${filled} ${length}`}
        transform={`rotate(-90 ${middle} ${middle})`}
      />
    </svg>
  );
}
