import { Component, type ComponentType, type ReactNode } from 'react';

interface BoundaryProps {
  fallback: ComponentType<{ onRetry: () => void }>;
  /** Called when something inside broke. */
  onBroken?: () => void;
  children: ReactNode;
}

/** Shows something else instead of what broke, so that the rest of the page stays. */
export class ErrorBoundary extends Component<BoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override componentDidCatch() {
    this.props.onBroken?.();
  }

  override render() {
    const { fallback: Fallback, children } = this.props;
    return this.state.isBroken ? <Fallback onRetry={() => this.setState({ isBroken: false })} /> : children;
  }
}
