package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/test/bench/bare"
)

func runBareServer(ctx context.Context, s settings) (*part, error) {
	config, err := pgxpool.ParseConfig(s.Database)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["jit"] = "off" // as for Terrier: compiling a statement takes longer than running it
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	stock, err := pgxpool.New(ctx, s.Stock)
	if err != nil {
		return nil, err
	}
	jobs, err := bare.NewInserter(stock)
	if err != nil {
		return nil, err
	}
	address, stop, err := listen((&bare.Server{Base: base, Pool: pool, Jobs: jobs, JobPool: stock}).Handler())
	return &part{address: address, end: func() error {
		defer pool.Close()
		defer stock.Close()
		return stop()
	}}, err
}

// listen serves on the loopback interface, with Terrier's own timeouts.
func listen(h http.Handler) (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 40 * time.Second, WriteTimeout: 60 * time.Second,
		IdleTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(listener) }()
	return listener.Addr().String(), func() error {
		err := srv.Close()
		if e := <-done; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
		return err
	}, nil
}

// runBareWorker is bare River. It starts and stops on command.
func runBareWorker(ctx context.Context, s settings) (*part, error) {
	pool, err := pgxpool.New(ctx, s.Stock)
	if err != nil {
		return nil, err
	}
	post := &bare.Post{URL: s.URL, Body: s.Body, Secret: secret,
		Client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, MaxIdleConns: 1000}}}
	run := &onOff{run: func(ctx context.Context) error {
		client, err := bare.NewWorker(pool, post, s.Idle)
		if err != nil {
			return err
		}
		if err := client.Start(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		<-ctx.Done()
		return client.Stop(context.WithoutCancel(ctx))
	}}
	return &part{commands: run.commands(ctx), end: func() error {
		defer pool.Close()
		return run.stop()
	}}, nil
}
